import type { Config } from '../../config/config.ts'
import { compileRoutes } from '../../domain/routes.ts'
import { PortariaError } from '../../platform/errors.ts'
import { wrongUsage } from '../output.ts'

export interface AddressParts {
  readonly kind: string
  /** One of `callbacks.suffixes`; '': none. */
  readonly suffix: string
  /** Without the question mark; '': none. */
  readonly query: string
}

/**
 * The URL of a kind as it is registered, character for character.
 * @throws PortariaError `configuration_invalid` without `callbacks.publicUrl` or the kind, `request_invalid` for a suffix or query that cannot work
 */
export function callbackUrl({ file, callbacks }: Config, { kind: name, suffix, query }: AddressParts): string {
  const kind = callbacks.kinds.find((one) => one.institution === null && one.name === name)
  if (kind === undefined) {
    const names = callbacks.kinds.map((one) => one.name).join(', ')
    throw unusable(`${file} has no kind ${name} under callbacks.kinds: add it with its path, or name one of ${names}`)
  }
  if (callbacks.publicUrl === null)
    throw unusable(
      `${file} has no callbacks.publicUrl: write the address under which the service reaches the gateway, such as https://hooks.example.com`,
    )
  if (suffix !== '' && !callbacks.suffixes.includes(suffix)) {
    const known = callbacks.suffixes.length === 0 ? 'which is empty' : `which has ${callbacks.suffixes.join(', ')}`
    throw wrongUsage(`--suffix ${suffix} is not in callbacks.suffixes, ${known}: the gateway would answer 404`)
  }
  if (!/^[!-~]*$/.test(query) || /[#?]/.test(query.replace(/^\?/, '')))
    throw wrongUsage('the query has a character that a URL cannot have there: percent-encode it')
  const url = `${callbacks.publicUrl}${kind.path}${suffix}${query === '' ? '' : `?${query.replace(/^\?/, '')}`}`
  // The service compares URLs as text.
  if (!URL.canParse(url)) throw wrongUsage(`${url} is not a URL: correct callbacks.publicUrl, --suffix or the query`)
  return url
}

/** The kind whose callbacks a URL brings to this gateway, with any suffix and query; null: the address of somebody else. */
export function ownKindOf({ callbacks }: Config, url: string): string | null {
  if (callbacks.publicUrl === null || !URL.canParse(url)) return null
  const [own, other] = [new URL(callbacks.publicUrl), new URL(url)]
  const prefix = own.pathname.replace(/\/+$/, '')
  if (other.origin !== own.origin || !other.pathname.startsWith(`${prefix}/`)) return null
  const kinds = callbacks.kinds.filter(({ institution }) => institution === null)
  return compileRoutes(kinds, callbacks.suffixes)(other.pathname.slice(prefix.length))
}

/** The address of charge notifications. @throws PortariaError `configuration_invalid` without `chargeNotifications.publicUrl` */
export function chargeUrl({ file, chargeNotifications }: Config, token: string): string {
  const publicUrl = chargeNotifications?.publicUrl ?? null
  if (publicUrl !== null) return `${publicUrl}/charges/${token}`
  throw unusable(
    `${file} has no chargeNotifications.publicUrl: write the address under which the service reaches the charge listener, ` +
      'such as https://hooks.example.com:8444, or give the address with --url',
  )
}

const SHOWN_CHARACTERS = 4

/** For lists and reports: the end of the path is a secret, and a query may be one. null: none. */
export function masked(url: string | null): string | null {
  if (url === null) return null
  if (!URL.canParse(url)) return `${url.slice(0, SHOWN_CHARACTERS)}…`
  const { origin, pathname, search } = new URL(url)
  const end = pathname.lastIndexOf('/') + 1
  const last = pathname.slice(end)
  const shown = last.length <= SHOWN_CHARACTERS ? last : `${last.slice(0, SHOWN_CHARACTERS)}…`
  return `${origin}${pathname.slice(0, end)}${shown}${search === '' ? '' : '?…'}`
}

/** Whether two texts are the same URL. */
export function isSameUrl(one: string, other: string): boolean {
  return one === other || (URL.canParse(one) && URL.canParse(other) && new URL(one).href === new URL(other).href)
}

function unusable(message: string): PortariaError {
  return new PortariaError('configuration_invalid', message)
}
