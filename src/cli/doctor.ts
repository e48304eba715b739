import { outputOf, type RegisterCommand } from "./command.ts"
import type { Check } from "../management/check.ts"
import { examine } from "./doctor-checks.ts"
import { CommandError } from "./exit-codes.ts"
import { loadOptions } from "./load-options.ts"
import { type Column, formatTable } from "./output.ts"

const COLUMNS: readonly Column<Check>[] = [
  { title: "CHECK", cell: ({ name }) => name },
  { title: "RESULT", cell: ({ result }) => result },
  { title: "FOUND", cell: ({ found }) => found },
]

/** `tollgate doctor` */
export const registerDoctor: RegisterCommand = (program, terminal) => {
  program
    .command("doctor")
    .description("check this installation for problems and suggest fixes")
    .action(async (_options: object, command) => {
      const checks = await examine(loadOptions(command))
      const failed = checks.filter((check) => check.result === "failed")
      const isHealthy = failed.length === 0
      outputOf(command, terminal).result({ healthy: isHealthy, checks }, (style) => {
        const fixes = checks.filter(hasFix).map(({ name, fix }) => `${name}: ${fix}`)
        const table = formatTable(COLUMNS, checks, style)
        return fixes.length === 0 ? table : `${table}\n\nTo fix:\n  ${fixes.join("\n  ")}`
      })
      if (!isHealthy) {
        throw new CommandError(
          "not_healthy",
          `${failed.length} of ${checks.length} checks failed`,
          "Fix the problems above and run it again.",
        )
      }
    })
}

function hasFix(check: Check): check is Check & { readonly fix: string } {
  return check.fix !== undefined
}
