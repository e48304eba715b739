/** Formats a host and port as an address, with brackets around an IPv6 host. */
export function addressOf(host: string, port: number): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`
}
