import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Command } from "commander"
import { outputOf, type RegisterCommand } from "./command.ts"
import { loadOptions } from "./load-options.ts"
import { serve } from "./serve.ts"

/** `tollgate demo` */
export const registerDemo: RegisterCommand = (program, terminal) => {
  program
    .command("demo")
    .description("run the gateway with a simulator and a temporary ledger")
    .action(async (_options: object, command: Command) => {
      const dataDirectory = mkdtempSync(join(tmpdir(), "tollgate-demo-"))
      try {
        const load = loadOptions(command)
        // A demonstration must be free, so keys in the environment must not enable vendors.
        const vendors = load.vendors.map((vendor) => ({ ...vendor, keyVariables: [] }))
        await serve({ ...load, vendors, dataDirectory }, outputOf(command, terminal), {
          isDemo: true,
        })
      } finally {
        rmSync(dataDirectory, { recursive: true, force: true })
      }
    })
}
