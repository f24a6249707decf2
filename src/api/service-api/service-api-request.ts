import type { Request } from 'express'

/** Each name with its value; with all of them where it is there more than once. */
export function serviceQueryOf({ url }: Request): Record<string, string | string[]> {
  const mark = url.indexOf('?')
  const parameters = new URLSearchParams(mark === -1 ? '' : url.slice(mark + 1))
  const names = [...new Set(parameters.keys())]
  return Object.fromEntries(
    names.map((name) => {
      const [value = '', ...more] = parameters.getAll(name)
      return [name, more.length === 0 ? value : [value, ...more]]
    }),
  )
}
