/** Whether anything listens at the host and port of an address, within a time in milliseconds. */
export async function canConnect(address: string, patience: number): Promise<boolean> {
  const { hostname, port, protocol } = new URL(address)
  const connected = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => connected.resolve(false), patience)
  Bun.connect({
    hostname: hostname.replace(/^\[|\]$/g, ""),
    port: Number(port) || (protocol === "https:" ? 443 : 80),
    socket: {
      open(socket) {
        connected.resolve(true)
        socket.end()
      },
      data() {},
      error() {
        connected.resolve(false)
      },
      connectError() {
        connected.resolve(false)
      },
    },
  }).catch(() => connected.resolve(false))
  const answer = await connected.promise
  clearTimeout(timer)
  return answer
}
