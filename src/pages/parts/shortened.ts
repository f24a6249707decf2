/** The beginning of a long text, for a table. The detail page has all of it. */
export function shortened(text: string, most = 80): string {
  const characters = [...text]
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`
}
