/** In the column `environment`, a realm is the name of its environment, behind that of its institution and a slash if it has one. */

/** Of the parameter `environment`, in any institution. */
export function inEnvironment(column: string): string {
  const wanted = 'cast(:environment as text)'
  return `(${column} = ${wanted} or substr(${column}, length(${column}) - length(${wanted})) = '/' || ${wanted})`
}

/** Of the parameter `institution`, in any environment. */
export function ofInstitution(column: string): string {
  const start = `cast(:institution as text) || '/'`
  return `substr(${column}, 1, length(${start})) = ${start}`
}

/** SQLite: of both parameters, each of which may be null. */
export function inRealm(column: string): string {
  return `(:environment is null or ${inEnvironment(column)}) and (:institution is null or ${ofInstitution(column)})`
}
