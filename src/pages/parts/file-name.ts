/** Of a path on the gateway's machine its last segment: pages show no folders. Another name stays as it is. */
export function fileName(name: string): string {
  return name.replace(/(^|: )\/(?:[^/]*\/)*(?=[^/]+$)/, '$1')
}
