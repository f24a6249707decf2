import { type Config, routesOf, suffixesOf } from '../../config/config.ts'
import { keyOf, type Realm } from '../../domain/realm.ts'
import { PortariaError } from '../../platform/errors.ts'
import { say } from '../../platform/said.ts'
import { wrongUsage } from '../output.ts'

export interface AddressParts {
  /** Whose kind it is; null: the unnamed one's. */
  readonly institution: string | null
  readonly kind: string
  /** One of the institution's `suffixes`; '': none. */
  readonly suffix: string
  /** Without the question mark; '': none. */
  readonly query: string
}

/**
 * The URL of a kind as it is registered, character for character.
 * @throws PortariaError `configuration_invalid` without `callbacks.publicUrl` or the kind, `request_invalid` for a suffix or query that cannot work
 */
export function callbackUrl(config: Config, { institution, kind: name, suffix, query }: AddressParts): string {
  const { file, callbacks } = config
  const own = callbacks.kinds.filter((one) => one.institution === institution)
  const kind = own.find((one) => one.name === name)
  if (kind === undefined) {
    const names = own.map((one) => one.name).join(', ')
    throw unusable(
      `${file} has no kind ${name} under ${keyOf(institution, 'kinds')}: add it with its path, or name one of ${names}`,
    )
  }
  if (callbacks.publicUrl === null)
    throw unusable(
      `${file} has no callbacks.publicUrl: write the address under which the service reaches the gateway, such as https://hooks.example.com`,
    )
  const suffixes = suffixesOf(config, institution)
  if (suffix !== '' && !suffixes.includes(suffix)) {
    const known = suffixes.length === 0 ? 'which is empty' : `which has ${suffixes.join(', ')}`
    throw wrongUsage(
      `--suffix ${suffix} is not in ${keyOf(institution, 'suffixes')}, ${known}: the gateway would answer 404`,
    )
  }
  if (!/^[!-~]*$/.test(query) || /[#?]/.test(query.replace(/^\?/, '')))
    throw wrongUsage(say`the query has a character that a URL cannot have there: percent-encode it`)
  const url = `${callbacks.publicUrl}${kind.path}${suffix}${query === '' ? '' : `?${query.replace(/^\?/, '')}`}`
  // The service compares URLs as text.
  if (!URL.canParse(url)) throw wrongUsage(`${url} is not a URL: correct callbacks.publicUrl, --suffix or the query`)
  return url
}

/** The kind whose callbacks of a realm a URL brings to this gateway, with any suffix and query; null: the address of somebody else. */
export function ownKindOf(config: Config, realm: Realm, url: string): string | null {
  const { callbacks } = config
  if (callbacks.publicUrl === null || !URL.canParse(url)) return null
  const [own, other] = [new URL(callbacks.publicUrl), new URL(url)]
  const prefix = own.pathname.replace(/\/+$/, '')
  if (other.origin !== own.origin || !other.pathname.startsWith(`${prefix}/`)) return null
  return routesOf(config)(realm, other.pathname.slice(prefix.length))
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
