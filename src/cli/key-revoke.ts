import { COMMAND_LINE } from "../management/actor.ts"
import { commandGroup, outputOf, type RegisterCommand } from "./command.ts"
import { withInstallation } from "./installation.ts"
import { keyDocument } from "./key-document.ts"

/** `tollgate key revoke ID` */
export const registerKeyRevoke: RegisterCommand = (program, terminal) => {
  commandGroup(program, "key", "keys: what callers send")
    .command("revoke")
    .description("stop a key, and every old secret of it, for good")
    .argument("<ID>", "the key's id, as `tollgate key list` shows it")
    .action(async (id: string, _options: object, command) => {
      const key = await withInstallation(command, ({ keys }) => keys.revoke(COMMAND_LINE, id))
      outputOf(command, terminal).result(
        keyDocument(key),
        () => `Key ${id} is revoked. Running gateways refuse it within a second.`,
      )
    })
}
