import type { Socket } from "bun"

/** A proxy between a client and a gateway that cuts connections. */
export interface CuttingProxy extends Disposable {
  readonly url: string
  /** Returns the number of cut connections. */
  readonly cuts: () => number
}

interface Pair {
  other: Socket<Pair> | undefined
  waiting: Uint8Array[]
}

/**
 * Starts a proxy that passes all data to a gateway, and cuts the first connections while their responses arrive.
 * @param bytes for each of these connections, the number of bytes of the response that the client still receives.
 */
export function startCuttingProxy(target: string, bytes: readonly number[]): CuttingProxy {
  const { hostname, port } = new URL(target)
  let cuts = 0
  const open = (client: Socket<Pair>): void => {
    void Bun.connect<Pair>({
      hostname,
      port: Number(port),
      data: { other: client, waiting: [] },
      socket: {
        open(gateway) {
          client.data.other = gateway
          for (const chunk of client.data.waiting.splice(0)) gateway.write(chunk)
        },
        data(gateway, chunk) {
          const allowed = bytes[cuts]
          if (allowed === undefined) return void gateway.data.other?.write(chunk)
          gateway.data.other?.write(chunk.subarray(0, allowed))
          cuts++
          gateway.data.other?.terminate()
          gateway.terminate()
        },
        close: (gateway) => void gateway.data.other?.end(),
      },
    })
  }
  const server = Bun.listen<Pair>({
    hostname: "127.0.0.1",
    port: 0,
    data: { other: undefined, waiting: [] },
    socket: {
      open(client) {
        client.data = { other: undefined, waiting: [] }
        open(client)
      },
      data(client, chunk) {
        const { other, waiting } = client.data
        if (other) other.write(chunk)
        else waiting.push(Uint8Array.from(chunk))
      },
      close: (client) => void client.data.other?.end(),
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    cuts: () => cuts,
    [Symbol.dispose]: () => server.stop(true),
  }
}
