import type { Answer } from '../../api/calls.ts'
import type { trustDiffSchema } from '../../api/certificates/schema.ts'
import type { View } from '../../api/http/schema-parts.ts'
import { optionsOf, realmOf } from '../../domain/realm.ts'
import { ACTIVATIONS } from '../../domain/trust.ts'
import type { Catalogue } from '../../messages/catalogue.ts'
import { jsonOf } from '../frame/answers.ts'
import type { FormAction, Page, PageRequest, PageView } from '../frame/page.ts'
import { problemHtml, problemOf } from '../frame/problem.ts'
import { badge, type Tone } from '../parts/badge.ts'
import { select } from '../parts/fields.ts'
import { type Html, html } from '../parts/html.ts'
import { idOf } from '../parts/id.ts'
import { environmentOptions, realmText } from '../parts/realm.ts'
import { shortened } from '../parts/shortened-text.ts'
import { table } from '../parts/table.ts'
import { limitOf, timeOf } from '../parts/time.ts'

const LIST = '/ui/certificates'
const PATH = `${LIST}/trust`
/** A page stays small whatever it shows; its text counts all. */
const MOST_CALLERS = 100

type TrustDiff = View<typeof trustDiffSchema>
type ChangeView = TrustDiff['changes'][number]
type LockedOut = TrustDiff['callersRefused'][number]

/** What a person typed. */
interface Proposal {
  readonly pem: string
  /** null: the form has no field for it, or a person left it empty. */
  readonly institution: string | null
  readonly environment: string
  readonly activation: string
}

export const TRUST_FORM: Page = {
  path: '/certificates/trust',
  scopes: ['operations.read'],
  render: async (request) =>
    formView(request, { pem: '', institution: null, environment: 'production', activation: 'instead' }, null),
}

/** The module reads a chosen file into the text field, so that the browser sends text only. @param problem of what was typed; null: none */
function formView(
  { words, formToken, institutions }: PageRequest,
  { pem, institution, environment, activation }: Proposal,
  problem: Answer | null,
): PageView {
  const { certificates } = words
  const { trust } = certificates
  const environments = environmentOptions(words)
  const names = [['', certificates.unnamed] as const, ...institutions.map((name) => [name, name] as const)]
  const activations = ACTIVATIONS.toReversed().map((one) => [one, trust.activations[one]] as const)
  return {
    title: trust.title,
    scripts: ['trust-file.js'],
    ...(problem !== null && { status: problem.status }),
    body: html`<p><a href="${LIST}">${certificates.title}</a></p>
<h1>${trust.title}</h1>
${problem !== null && html`<p class="flash bad" role="alert">${problemHtml(problemOf(problem, words, PATH), words)}</p>`}
<p>${trust.intro}</p>
<form method="post" action="${PATH}">${formToken}
<p><label for="pem">${trust.pem}</label>
<textarea id="pem" name="pem" rows="10" required spellcheck="false" class="id" placeholder="-----BEGIN CERTIFICATE-----">
${pem}</textarea></p>
<p id="file-field" hidden><label for="file">${trust.file}</label>
<input type="file" id="file" accept=".pem,.crt,.cer,.txt" aria-describedby="file-hint" data-too-large="${trust.fileTooLarge}">
<span class="hint" id="file-hint" role="status">${trust.fileHint}</span></p>
<div class="fields">${institutions.length > 0 && select('institution', words.common.institution, { options: names, chosen: institution ?? '' })}
${select('environment', trust.environment, { options: environments, chosen: environment })}
${select('activation', trust.activation, { options: activations, chosen: activation })}</div>
<p><button>${trust.compare}</button></p>
</form>`,
  }
}

const COMPARE: FormAction = {
  path: '/certificates/trust',
  async submit(request) {
    const { ask, form, words } = request
    const given = (name: string) => form.get(name) ?? ''
    const body = {
      institution: form.get('institution') || null,
      environment: given('environment'),
      pem: given('pem'),
      activation: given('activation'),
    }
    const answer = await ask('diffTrust', { body })
    // The text stays in the form, to be corrected.
    if (answer.status >= 400) return { kind: 'page', view: formView(request, body, answer) }
    const title = words.certificates.trust.result
    return { kind: 'page', view: { title, body: resultBody(jsonOf(answer), words) } }
  },
}

export const CERTIFICATE_ACTIONS: readonly FormAction[] = [COMPARE]

function resultBody(diff: TrustDiff, words: Catalogue): Html {
  const { trust, title } = words.certificates
  return html`<p><a href="${LIST}">${title}</a></p>
<h1>${trust.result}</h1>
<p role="status">${trust.comparedWith(diff.activeChains, realmText(diff, words))}</p>
<h2>${trust.callers}</h2>
${callersOf(diff, words)}
<h2>${trust.changes}</h2>
${diff.changes.every(({ change }) => change === 'kept') && html`<p>${trust.nothing}</p>`}
${changesOf(diff.changes, words)}
<p class="hint">${trust.next(optionsOf(realmOf(diff.institution, diff.environment)))}</p>
<p><a class="button" href="${PATH}">${trust.again}</a></p>`
}

function callersOf({ callersSeen, callersRefused }: TrustDiff, { certificates }: Catalogue): Html {
  const { trust } = certificates
  if (callersSeen === 0) return html`<p>${trust.noCallers}</p>`
  if (callersRefused.length === 0) return html`<p class="flash good">${trust.allAccepted(callersSeen)}</p>`
  return html`<p class="flash bad">${trust.lockedOut(callersRefused.length, callersSeen)}</p>
${table<LockedOut>(
  trust.callers,
  [
    { title: certificates.subject, cell: ({ subject }) => html`<span class="id">${shortened(subject, 200)}</span>` },
    { title: trust.why, cell: ({ problem }) => trust.problems[problem] },
    { title: trust.lastSeen, cell: ({ lastSeenAt }) => timeOf(lastSeenAt) },
    { title: certificates.fingerprint, cell: ({ fingerprint }) => idOf(fingerprint) },
  ],
  callersRefused.slice(0, MOST_CALLERS),
)}`
}

const TONES: Readonly<Record<ChangeView['change'], Tone>> = { added: 'good', removed: 'bad', kept: null }

function changesOf(changes: readonly ChangeView[], { certificates }: Catalogue): Html {
  const { trust } = certificates
  return table<ChangeView>(
    trust.changes,
    [
      { title: certificates.subject, cell: ({ subject }) => html`<span class="id">${shortened(subject, 200)}</span>` },
      { title: trust.change, cell: ({ change }) => badge(trust.changeNames[change], TONES[change]) },
      { title: trust.role, cell: ({ role, mayCall }) => (mayCall ? trust.mayCall : trust.roles[role]) },
      { title: certificates.daysLeft, cell: ({ daysLeft }) => certificates.days(daysLeft), isNumber: true },
      { title: certificates.expires, cell: ({ notAfter }) => limitOf(notAfter) },
      { title: certificates.fingerprint, cell: ({ fingerprint }) => idOf(fingerprint) },
    ],
    changes,
  )
}
