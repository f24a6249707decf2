/** In the column `environment`, a realm is the name of its environment, behind that of its institution and a slash if it has one. */

/** Of the parameter `environment`, in any institution. */
export function inEnvironment(column: string): string {
  return `(${column} = +:environment or substr(${column}, -1 - length(:environment)) = '/' || :environment)`
}

/** Of both parameters, each of which may be null. */
export function inRealm(column: string): string {
  return `(:environment is null or ${inEnvironment(column)}) and (:institution is null or ${ofInstitution(column)})`
}

/** Of the parameter `institution`, in any environment. */
export function ofInstitution(column: string): string {
  return `substr(${column}, 1, length(:institution) + 1) = :institution || '/'`
}
