/** The host of a URL for the resolver: an IPv6 address without brackets, a name without its trailing dots. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.+$/, '')
}
