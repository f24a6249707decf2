/** Express' path of an endpoint, with the configured segment in place of `svc`. */
export function routeWith(segment: string, path: string): string {
  return path.replace('/svc/', `/${segment}/`)
}

/** A scope of the documents with the configured segment in place of `svc`. */
export function withSegment(scope: string, segment: string): string {
  return scope.replace(/^svc\./, `${segment}.`)
}
