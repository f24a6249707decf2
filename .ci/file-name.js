/** A test file of a report without the folder of its clone: the ordinary user has another one than root. */
export function nameOf({ name }) {
  const at = name.lastIndexOf('/test/')
  const workspace = name.slice(0, at).endsWith('/simulator') ? 'simulator/' : ''
  return workspace + name.slice(at + 1)
}
