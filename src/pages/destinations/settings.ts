import type { Answer } from '../../api/calls.ts'
import { AUTHENTICATION_FILTERS, DELIVERY_FORMATS, DELIVERY_ORDERS, ON_EXHAUSTED } from '../../domain/destination.ts'
import { KINDS_BY_NAME_ONLY } from '../../domain/event.ts'
import { type Said, say } from '../../messages/say.ts'
import { durationText, readDuration } from '../../platform/units.ts'
import { type FilledForm, newForm, refusedForm } from '../frame/field-problems.ts'
import type { FormRequest, PageRequest } from '../frame/page.ts'
import { checkboxes, select, textArea, textField } from '../parts/fields.ts'
import { type Html, html } from '../parts/html.ts'
import { kindOptions } from '../parts/kind-word.ts'
import { environmentOptions } from '../parts/realm.ts'
import { AUTHENTICATIONS, type DestinationView, FORMATS, ORDERS } from './destination.ts'

const ON_EXHAUSTED_TEXTS: Readonly<Record<DestinationView['onExhausted'], Said>> = {
  hold: say`later ones with its reference wait`,
  continue: say`later ones with its reference are sent`,
}

/** Settings by the names of their fields, as a form shows and sends them. */
export type TypedSettings = Readonly<Record<string, string | readonly string[]>>

/** What a new destination begins with: the defaults of the API. */
export const NO_SETTINGS: TypedSettings = {
  authentication: 'any',
  format: 'original',
  order: 'none',
  onExhausted: 'hold',
}

/** Values of headers and the PEM of authorities are never shown: their fields are empty. */
export function typedSettings(destination: DestinationView): TypedSettings {
  const { name, url, kinds, environments, institutions, subjects, authentication, format } = destination
  const { order, onExhausted, timeoutMs, concurrency, rateLimit, scheduleMs } = destination
  return {
    name,
    url,
    kinds: kinds ?? [],
    environments: environments ?? [],
    institutions: institutions ?? [],
    subjects: (subjects?.exact ?? []).join('\n'),
    prefixes: (subjects?.prefix ?? []).join('\n'),
    authentication,
    format,
    order,
    onExhausted,
    timeoutMs: String(timeoutMs),
    concurrency: String(concurrency),
    rateLimit: rateLimit === null ? '' : String(rateLimit),
    scheduleMs: (scheduleMs ?? []).map(durationText).join(' '),
  }
}

/** The form with what the person typed, and a URL that may not be used at its field. */
export function refusedSettings({ form, t }: FormRequest, refusal: Answer): FilledForm {
  const filled = refusedForm(form, refusal, t)
  const { code, errors } = refusal.json as { readonly code?: string; readonly errors?: object }
  // The check of the URL names no field.
  const isUnusable = code === 'request_invalid' && errors === undefined
  const aboutUrl =
    code === 'address_forbidden'
      ? t`The gateway does not send to this address.`
      : isUnusable
        ? t`The URL cannot be used. Type it such as https://books.example/hooks.`
        : null
  return { ...filled, problem: (name) => filled.problem(name) ?? (name === 'url' ? aboutUrl : null) }
}

export const unsentSettings = (settings: TypedSettings): FilledForm => newForm(settings)

/** @param known of the destination; null: it is a new one */
export function settingsFields(request: PageRequest, filled: FilledForm, known: DestinationView | null): Html {
  const { t } = request
  const noted = (name: string, hint?: string) => ({
    value: filled.value(name),
    problem: filled.problem(name),
    ...(hint !== undefined && { hint }),
  })
  return html`${textField('url', 'URL', { ...noted('url', t`Such as https://books.example/hooks`), isRequired: true, longest: 2048 })}
${textField('name', t`Name`, { ...noted('name', t`Up to 63 letters, digits, dots and hyphens. Empty: the host of the URL`), isRequired: known !== null, longest: 63 })}
${known === null && secretField(request, filled)}
${filterFields(request, filled)}
<details><summary>${t`More settings`}</summary>
${sendingFields(request, filled)}
${textArea('headers', t`Extra headers`, noted('headers', t`One per line, such as authorization: Bearer …. Values are never shown again.`))}
${known !== null && known.headers.length > 0 && checkboxes('removeHeaders', t`Stop sending these headers`, { options: known.headers.map((name) => [name, name]), chosen: filled.values('removeHeaders') })}
${textArea('authorities', t`Private certificate authorities`, noted('authorities', t`CA certificates in PEM form. Only they are trusted for this destination. Empty: no change`))}
${known?.hasAuthorities === true && checkboxes('removeAuthorities', t`The destination has private certificate authorities`, { options: [['yes', t`Trust the public ones again`]], chosen: filled.values('removeAuthorities') })}
</details>`
}

/** A secret that the receiver already has. What was typed is not shown again. */
export function secretField({ t }: PageRequest, filled?: FilledForm): Html {
  return textField('secret', t`Secret`, {
    hint: t`Empty: one is made. Otherwise whsec_ and the base64 of 24 to 64 bytes`,
    problem: filled?.problem('secret') ?? null,
    longest: 100,
  })
}

/** Which events it gets. */
function filterFields({ t, kinds, institutions }: PageRequest, filled: FilledForm): Html {
  const boxes = (name: string, options: readonly (readonly [string, string])[], hint: string) => ({
    options,
    chosen: filled.values(name),
    hint,
    problem: filled.problem(name),
  })
  const all = kindOptions([...kinds, ...KINDS_BY_NAME_ONLY], t)
  const named = institutions.map((name) => [name, name] as const)
  return html`${checkboxes('kinds', t`Kinds`, boxes('kinds', all, t`None: every kind except probe and operator`))}
${checkboxes('environments', t`Environments`, boxes('environments', environmentOptions(t), t`None: every environment`))}
${named.length > 0 && checkboxes('institutions', t`Institutions`, boxes('institutions', named, t`None: every institution`))}
${textArea('subjects', t`Only these references`, { value: filled.value('subjects'), hint: t`One per line. Empty: every reference`, problem: filled.problem('subjects') })}
${textArea('prefixes', t`Only references that begin with`, { value: filled.value('prefixes'), hint: t`One per line. Empty: every reference` })}`
}

/** How it gets them. */
function sendingFields({ t }: PageRequest, filled: FilledForm): Html {
  const choice = (name: string, label: string, all: readonly string[], texts: Readonly<Record<string, Said>>) =>
    select(name, label, { options: all.map((one) => [one, t.at(texts, one) ?? one]), chosen: filled.value(name) })
  const text = (name: string, label: string, hint: string) =>
    textField(name, label, { value: filled.value(name), hint, problem: filled.problem(name) })
  return html`${choice('authentication', t`Authentication`, AUTHENTICATION_FILTERS, AUTHENTICATIONS)}
${choice('format', t`Body`, DELIVERY_FORMATS, FORMATS)}
${choice('order', t`Order`, DELIVERY_ORDERS, ORDERS)}
${choice('onExhausted', t`After a delivery with no more tries, with order by reference`, ON_EXHAUSTED, ON_EXHAUSTED_TEXTS)}
${text('timeoutMs', t`Timeout in ms`, t`Empty: the default`)}
${text('concurrency', t`Attempts at the same time`, t`Empty: the default`)}
${text('rateLimit', t`Deliveries per second`, t`Empty: no limit`)}
${text('scheduleMs', t`Waits before the attempts`, t`Such as 0s 30s 5m 1h. Empty: the schedule of the configuration`)}`
}

/** As the API takes it; what is empty is left out, so that it has its default. */
export function newSettingsIn(form: URLSearchParams): Record<string, unknown> {
  const given = Object.entries(settingsIn(form)).filter(([, value]) => value !== null)
  return Object.fromEntries(given)
}

/** Empty: one is made. */
export function secretIn(form: URLSearchParams): { readonly secret?: string } {
  const secret = form.get('secret')?.trim() ?? ''
  return secret === '' ? {} : { secret }
}

/** A merge patch with what differs from the settings that the form began with; null restores a default. */
export function changesIn(form: URLSearchParams, known: DestinationView): Record<string, unknown> {
  const before = typedSettings(known)
  const parts: Readonly<Record<string, readonly string[]>> = { subjects: ['subjects', 'prefixes'] }
  const isChanged = (name: string) =>
    (parts[name] ?? [name]).some((field) => textOf(form.getAll(field)) !== textOf([before[field] ?? []].flat()))
  const removed = form.getAll('removeHeaders').map((name) => [name, null] as const)
  const { headers, authorities, ...others } = settingsIn(form)
  return {
    ...Object.fromEntries(Object.entries(others).filter(([name]) => isChanged(name))),
    ...((headers !== null || removed.length > 0) && {
      headers: { ...Object.fromEntries(removed), ...(headers as object | null) },
    }),
    ...(authorities !== null && { authorities }),
    ...(form.get('removeAuthorities') === 'yes' && { authorities: null }),
  }
}

/** The same for the same setting, in any order of boxes, and with the line ends of any browser. */
function textOf(values: readonly string[]): string {
  const given = values.map((value) => value.replaceAll('\r\n', '\n').trim()).filter((value) => value !== '')
  return JSON.stringify(given.toSorted())
}

/** null: the field is empty. A value that is no number stays text, so that the API says what is wrong with it. */
function settingsIn(form: URLSearchParams) {
  const text = (name: string) => form.get(name)?.trim() || null
  const boxes = (name: string) => (form.has(name) ? form.getAll(name) : null)
  const number = (name: string) => {
    const typed = text(name)
    return typed !== null && /^\d{1,12}$/.test(typed) ? Number(typed) : typed
  }
  const lines = (name: string) =>
    (text(name)?.split('\n') ?? []).map((line) => line.trim()).filter((line) => line !== '')
  const [exact, prefix] = [lines('subjects'), lines('prefixes')]
  const headers = lines('headers').map(headerIn)
  return {
    url: text('url') ?? '',
    name: text('name'),
    kinds: boxes('kinds'),
    environments: boxes('environments'),
    institutions: boxes('institutions'),
    subjects: exact.length + prefix.length > 0 ? { exact, prefix } : null,
    authentication: text('authentication'),
    format: text('format'),
    order: text('order'),
    onExhausted: text('onExhausted'),
    timeoutMs: number('timeoutMs'),
    concurrency: number('concurrency'),
    rateLimit: number('rateLimit'),
    scheduleMs:
      text('scheduleMs')
        ?.split(/[\s,]+/)
        .map(waitIn) ?? null,
    headers: headers.length > 0 ? Object.fromEntries(headers) : null,
    authorities: text('authorities'),
  }
}

function waitIn(typed: string): number | string {
  const reading = readDuration(typed)
  return 'value' in reading ? reading.value : typed
}

function headerIn(line: string): readonly [name: string, value: string] {
  const colon = line.indexOf(':')
  return colon === -1 ? [line, ''] : [line.slice(0, colon).trim(), line.slice(colon + 1).trim()]
}
