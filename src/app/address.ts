/** The address of a host and port, with an IPv6 host in brackets. */
export function addressOf(host: string, port: number): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`
}
