/** The address of a host and port; an IPv6 host stands in brackets. */
export function addressOf(host: string, port: number): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`
}
