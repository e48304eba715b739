import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Command } from "commander"
import type { RegisterCommand } from "./command.ts"
import { loadOptions } from "./installation.ts"
import { serve } from "./serve.ts"

/** `tollgate demo` */
export const registerDemo: RegisterCommand = (program, terminal) => {
  program
    .command("demo")
    .description("try the gateway on a simulator with a new book, and keep nothing")
    .action(async (_options: object, command: Command) => {
      const dataDirectory = mkdtempSync(join(tmpdir(), "tollgate-demo-"))
      try {
        await serve({ ...loadOptions(command), dataDirectory }, terminal, true)
      } finally {
        rmSync(dataDirectory, { recursive: true, force: true })
      }
    })
}
