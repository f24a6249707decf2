export const START = '/ui/'
const LONGEST = 2000

/** A path with its query below /ui/ to which a person may be led; anything else becomes the start page, above all addresses of other sites. */
export function returnPath(text: string | null | undefined): string {
  if (text === null || text === undefined || !text.startsWith('/ui/') || text.length > LONGEST) return START
  const url = URL.parse(text, 'http://pages')
  if (url === null || url.host !== 'pages' || !url.pathname.startsWith('/ui/')) return START
  return url.pathname + url.search
}

/** Of the page that holds a form, from the Referer header, which counts only for the same host. */
export function refererPath(headers: {
  readonly referer?: string | undefined
  readonly host?: string | undefined
}): string {
  const url = URL.parse(headers.referer ?? '')
  return url === null || url.host !== headers.host ? START : returnPath(url.pathname + url.search)
}
