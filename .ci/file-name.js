/** A test file of a report without the folder of its clone: the ordinary user has another one than root. */
export function nameOf({ name }) {
  return name.slice(name.lastIndexOf('/test/') + 1)
}
