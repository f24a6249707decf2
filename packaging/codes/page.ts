import { TOKEN_ERROR_STATUS } from '../../src/api/auth/token-request.ts'
import { ACCEPTABLE_CODES, FINDING_CODES } from '../../src/config/finding-codes.ts'
import type { ReasonCode } from '../../src/domain/overview/reasons.ts'
import { REFUSAL_CODES, REFUSAL_REASONS } from '../../src/domain/refusal.ts'
import { LOG_EVENTS, type LogEventName, type LogEventWords } from '../../src/messages/en/log-events.ts'
import type { Language } from '../../src/messages/languages.ts'
import { knownText, tableText } from '../../src/messages/say.ts'
import { speaker } from '../../src/messages/speaker.ts'
import { stepOf } from '../../src/pages/check/next-steps.ts'
import { httpStatusOf } from '../../src/platform/errors.ts'
import { FINDING_MEANINGS } from './findings.ts'
import { PROBLEM_WORDS, TOKEN_ERROR_WORDS } from './problems.ts'
import { REASON_WORDS } from './reasons.ts'
import { type InBoth, REFUSAL_ACTIONS } from './refusals.ts'

/** What a code is in one of the places where it occurs. */
export interface CodeEntry {
  readonly code: string
  /** Where it occurs, as a sentence without its end. */
  readonly role: string
  readonly meaning: string
  readonly action: string
}

const WIDTH = 150

/** The text of docs/codes.md, or of its Portuguese twin. */
export function codesPage(language: Language): string {
  const entries = codeEntries(language)
  const codes = [...new Set(entries.map(({ code }) => code))].sort()
  const parts = codes.map((code) => {
    const items = entries.filter((entry) => entry.code === code).map(itemOf)
    return `### ${code}\n\n${items.join('\n')}\n`
  })
  return `${HEADS[language]}\n${parts.join('\n')}`
}

/** Each code in each place where it occurs. */
export function codeEntries(language: Language): readonly CodeEntry[] {
  const words = ([english, portuguese]: InBoth) => (language === 'en' ? english : portuguese)
  return [...findings(words), ...refusals(language, words), ...logEvents(language, words), ...problems(words)]
}

type Words = (both: InBoth) => string

function findings(words: Words): CodeEntry[] {
  return FINDING_CODES.map((code) => {
    const ofReason = Object.hasOwn(REASON_WORDS, code) ? REASON_WORDS[code as ReasonCode] : null
    const english = ofReason?.meaning[0] ?? FINDING_MEANINGS[code as keyof typeof FINDING_MEANINGS]
    const portuguese = ofReason?.meaning[1] ?? knownText(code, 'pt', 'finding') ?? ''
    const role = [
      words(['Finding of `portaria check`', 'Resultado de `portaria check`']),
      ...(ofReason === null ? [] : [words(SEVERITIES[ofReason.severity])]),
      words(
        ACCEPTABLE_CODES.includes(code)
          ? ['can be accepted', 'pode ser aceito']
          : ['cannot be accepted', 'não pode ser aceito'],
      ),
    ]
    const action = words([stepOf(code, speaker('en')) ?? '', stepOf(code, speaker('pt')) ?? ''])
    return { code, role: role.join('; '), meaning: words([english, portuguese]), action }
  })
}

const SEVERITIES: Readonly<Record<'problem' | 'warning', InBoth>> = {
  problem: ['reason of the overview, a problem', 'motivo da visão geral, um problema'],
  warning: ['reason of the overview, a warning', 'motivo da visão geral, um aviso'],
}

function refusals(language: Language, words: Words): CodeEntry[] {
  return REFUSAL_CODES.map((code) => ({
    code,
    role: words(['Refusal of a caller', 'Recusa de um chamador']),
    meaning: sentence(tableText(REFUSAL_REASONS[code], language)),
    action: words(REFUSAL_ACTIONS[code]),
  }))
}

function logEvents(language: Language, words: Words): CodeEntry[] {
  return (Object.keys(LOG_EVENTS) as LogEventName[]).map((code) => {
    const { levels } = LOG_EVENTS[code]
    const { fields: english, meaning, action }: LogEventWords = LOG_EVENTS[code]
    const fields = tableText(english, language)
    const shown = [levels.map((level) => `\`${level}\``).join(', '), ...(fields === '' ? [] : [fields])]
    return {
      code,
      role: `${words(['Log event', 'Evento do log'])}, ${shown.join('; ')}`,
      meaning: tableText(meaning, language),
      action: action === undefined ? words(usualAction(levels, fields)) : tableText(action, language),
    }
  })
}

/** What to do about an event whose words do not say it. */
function usualAction(levels: readonly string[], fields: string): InBoth {
  if (fields.includes('`hint`')) return ['Do what `hint` says.', 'Faça o que `hint` diz.']
  if (levels.every((level) => level === 'info')) return ['Nothing.', 'Nada.']
  const field = ['error', 'reason', 'problem'].find((name) => fields.includes(`\`${name}\``))
  if (field === undefined) return ['Nothing, unless it repeats.', 'Nada, a não ser que se repita.']
  return [
    `Nothing; when it repeats, correct what \`${field}\` names.`,
    `Nada; se repetir, corrija o que \`${field}\` indica.`,
  ]
}

function problems(words: Words): CodeEntry[] {
  const ofApi = Object.entries(PROBLEM_WORDS).map(([code, { meaning, action }]) => ({
    code,
    role: `${words(['Problem of the API', 'Problema da API'])}, HTTP ${code === 'internal' ? 500 : httpStatusOf(code as Parameters<typeof httpStatusOf>[0])}`,
    meaning: words(meaning),
    action: words(action),
  }))
  const ofTokens = Object.entries(TOKEN_ERROR_WORDS).map(([code, { meaning, action }]) => ({
    code,
    role: `${words(['Error of', 'Erro de'])} \`/oauth/token\`, HTTP ${TOKEN_ERROR_STATUS[code as keyof typeof TOKEN_ERROR_STATUS]}`,
    meaning: words(meaning),
    action: words(action),
  }))
  return [...ofApi, ...ofTokens]
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

function itemOf({ role, meaning, action }: CodeEntry): string {
  return wrapped(`- ${role}: ${meaning}`, `→ ${action}`)
}

/** Lines of the paragraphs of an item; none ends within code or a link. */
function wrapped(...paragraphs: readonly string[]): string {
  const lines: string[] = []
  for (const paragraph of paragraphs) {
    let line = ''
    for (const word of paragraph.match(/(?:`[^`]*`|\[[^\]]*\]\([^)]*\)|[^\s`[]|\[)+/g) ?? []) {
      if (line !== '' && `${line} ${word}`.length > WIDTH) lines.push(line)
      line = line === '' || `${line} ${word}`.length > WIDTH ? word : `${line} ${word}`
    }
    lines.push(line)
  }
  return lines.join('\n  ')
}

const HEADS: Readonly<Record<Language, string>> = {
  en: `# Codes

[Português](pt/codes.md)

Every code that the gateway shows: findings of \`portaria check\` and reasons of the overview, refusals of callers, log events, and problems of the API.
Each says what it means, and behind the arrow what to do. Codes do not change.
This page is made from the source: \`npm run rules -- codes --update\`.

- A finding that can be accepted may be named in [\`check.accepted\`](checks-and-alarms.md#the-check).
  The others mean that the gateway does not start, loses callbacks, or accepts unknown callers.
- [Log](log.md) says what the levels and fields of events mean.
- \`portaria check\` itself names the file and the command of a next step, and \`portaria log\` explains each line.

## By name
`,
  pt: `# Códigos

[English](../codes.md)

Todos os códigos que o gateway mostra: resultados de \`portaria check\` e motivos da visão geral, recusas de chamadores, eventos do log e problemas da API.
Cada um diz o que significa e, depois da seta, o que fazer. Os códigos não mudam.
Esta página é feita do código-fonte: \`npm run rules -- codes --update\`.

- Um resultado que pode ser aceito pode ser citado em [\`check.accepted\`](checks-and-alarms.md#a-verificação).
  Os outros significam que o gateway não inicia, perde callbacks ou aceita chamadores desconhecidos.
- [Log](log.md) diz o que significam os níveis e os campos dos eventos.
- O próprio \`portaria check\` indica o arquivo e o comando do próximo passo, e \`portaria log\` explica cada linha.

## Por nome
`,
}
