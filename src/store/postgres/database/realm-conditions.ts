/** As in the SQLite store: a realm is the name of its environment, behind that of its institution and a slash if it has one. */

/** Of the parameter `environment`, in any institution. */
export function inEnvironment(column: string): string {
  return `(${column} = :environment or right(${column}, 1 + length(:environment::text)) = '/' || :environment)`
}

/** Of the parameter `institution`, in any environment. */
export function ofInstitution(column: string): string {
  return `starts_with(${column}, :institution || '/')`
}
