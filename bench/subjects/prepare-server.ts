import type { SubjectName } from "../options.ts"
import { freePort, startServer, temporaryDirectory } from "./server-process.ts"
import { CHAT_PATH, type Address, type Prepared } from "./subject.ts"

/** The properties of one subject's server. */
export interface ServerPlan {
  readonly name: SubjectName
  readonly healthPath: string
  readonly headers: Readonly<Record<string, string>>
  readonly model: Address["model"]
  readonly messagesPath?: string
  /** Returns the environment variables of the server's setup. */
  readonly environment?: (port: number, directory: string) => Readonly<Record<string, string>>
  /** Returns the command that starts the server on a port with a folder of its own. */
  command(port: number, directory: string): readonly string[]
}

/** Prepares a subject that consists of one server process with a folder of its own. */
export function prepareServer(
  plan: ServerPlan,
  directory: ReturnType<typeof temporaryDirectory> = temporaryDirectory(),
): Prepared {
  const { name, healthPath, headers, model, messagesPath } = plan
  return {
    async start() {
      const port = freePort()
      const command = plan.command(port, directory.path)
      const server = await startServer({
        command,
        port,
        healthPath,
        directory: directory.path,
        environment: plan.environment?.(port, directory.path) ?? {},
      })
      const address = { name, port, path: CHAT_PATH, headers, model }
      return { ...address, ...(messagesPath !== undefined && { messagesPath }), ...server }
    },
    async [Symbol.asyncDispose]() {
      directory[Symbol.dispose]()
    },
  }
}
