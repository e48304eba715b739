import { COMMAND_LINE } from "../management/actor.ts"
import { commandGroup, outputOf, type RegisterCommand } from "./command.ts"
import { withInstallation } from "./installation.ts"

/** `tollgate code revoke ID` */
export const registerCodeRevoke: RegisterCommand = (program, terminal) => {
  commandGroup(program, "code", "codes: each gives credits to the account that redeems it")
    .command("revoke")
    .description("stop a code for good; what it gave stays")
    .argument("<ID>", "the code's id, as `tollgate code list` shows it")
    .action(async (id: string, _options: object, command) => {
      const code = await withInstallation(command, ({ codes }) => codes.revoke(COMMAND_LINE, id))
      outputOf(command, terminal).result(code, () => `Code ${id} is revoked.`)
    })
}
