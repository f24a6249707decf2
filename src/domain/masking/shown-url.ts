import { MASK } from './mask-json.ts'

/**
 * The URL of a destination for who may not change it: each value in its query may be a credential, and is masked. The names stay. A parameter without
 * `=` is masked as a whole.
 */
export function shownUrl(url: string): string {
  return withQuery(url, (parameter) => {
    const end = parameter.indexOf('=')
    return end === parameter.length - 1 ? parameter : parameter.slice(0, end + 1) + MASK
  })
}

/** Whether a value in the query is the mask: the URL was copied from an answer that hides the value. */
export function hasMaskedValue(url: string): boolean {
  return valuesIn(url).includes(MASK)
}

/** The values in the query, as they are written. */
export function valuesIn(url: string): string[] {
  const values: string[] = []
  withQuery(url, (parameter) => {
    values.push(parameter.slice(parameter.indexOf('=') + 1))
    return parameter
  })
  return values
}

function withQuery(url: string, change: (parameter: string) => string): string {
  const [, address = '', query = '', fragment = ''] = /^([^?#]*\??)([^#]*)(.*)$/s.exec(url) ?? []
  return (
    address +
    query
      .split('&')
      .map((one) => (one === '' ? one : change(one)))
      .join('&') +
    fragment
  )
}
