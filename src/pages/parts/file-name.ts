/** Of a path on the gateway's machine its last segment: pages show no folders. Another name stays as it is. */
export function fileName(name: string): string {
  return name.replace(/(^|: )\/(?:[^/]*\/)*(?=[^/]+$)/, '$1')
}

/** The same for each path of at least two segments in a text. Addresses (`https://…`) stay. */
export function withoutFolders(text: string): string {
  return text.replaceAll(/(?<![\w:/.])\/(?:[^/\s:;,"']+\/)+(?=[^/\s:;,"'])/g, '')
}
