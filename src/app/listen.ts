import { type Answering, serve, type ServerState } from "../http/server.ts"
import { OpenPort } from "../machine/open-port.ts"
import { addressOf } from "./address.ts"
import type { AppOptions } from "./options.ts"

/** What listens. */
interface Listening {
  readonly server: Bun.Server<undefined>
  /** How it leaves the port; absent where it just closes it. */
  readonly port: OpenPort | undefined
  readonly url: string
}

/** Starts to listen. @throws Error when that is not possible. */
export function listen(options: AppOptions, answering: Answering, state: ServerState): Listening {
  const { settings, isShared, takesPort = false, leavesPort = false } = options
  const server = serve({ ...settings.server, isShared: isShared || takesPort }, answering, state)
  const { hostname = settings.server.host, port = settings.server.port } = server
  const open = leavesPort ? new OpenPort(port) : undefined
  return { server, port: open, url: addressOf(hostname, port) }
}
