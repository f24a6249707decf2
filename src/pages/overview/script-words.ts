import { REASON_CODES } from '../../domain/overview/reasons.ts'
import { detailsIn, reasonIn } from '../../messages/reasons.ts'
import type { Said } from '../../messages/say.ts'
import type { Speaker } from '../../messages/speaker.ts'
import { DECIMAL } from '../parts/decimal.ts'
import { KINDS, kindWord } from '../parts/kind-word.ts'
import { behindText, CIRCUITS, moreText, rebuildingText, STATES } from './lists.ts'
import { LIGHTS, othersText, SEVERITIES } from './reasons.ts'

/** The texts that the module of the overview puts in place, with its values at `{name}`. */
export function scriptWords(t: Speaker) {
  const inLanguage = (texts: Readonly<Record<string, Said>>) =>
    Object.fromEntries(Object.entries(texts).map(([code, said]) => [code, t.of(said)]))
  return {
    decimal: DECIMAL[t.language],
    environments: { production: t`production` },
    lights: inLanguage(LIGHTS),
    severities: inLanguage(SEVERITIES),
    reasons: Object.fromEntries(REASON_CODES.map((code) => [code, reasonIn(code, t)])),
    details: detailsIn(t),
    others: othersText('{count}', t),
    callbacks: t`Callbacks per minute`,
    p99: t`99 of 100 within`,
    waiting: t`Waiting deliveries`,
    noLatency: t`no callback came`,
    minute: t`Minute`,
    states: inLanguage(STATES),
    circuits: inLanguage(CIRCUITS),
    moreDestinations: moreText('{count}', t),
    never: t`never`,
    unknown: t`unknown`,
    searchCurrent: t`finds every event`,
    searchBehind: behindText('{span}', '{count}', t),
    searchRebuilding: rebuildingText('{count}', t),
  }
}

export function kindWords(t: Speaker) {
  return Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, kindWord(kind, t)]))
}
