import { join } from "node:path"
import { bootName } from "../../machine/boot-name.ts"
import { NodeLocks } from "../../store/node-locks.ts"
import { CommandError } from "../exit-codes.ts"

/**
 * Takes the lock of a command that must be alone in a data folder, beside those of nodes: the system drops it however
 * the process ends.
 * @throws CommandError while another process has it.
 */
export function lockFolder(data: string, command: "backup" | "restore"): Disposable {
  const locks = new NodeLocks(join(data, "run"), bootName())
  const taken = locks.take(command)
  if (taken === undefined && locks.stateOf(command, locks.machine) === "alive") {
    throw new CommandError(
      "failed",
      `another ${command} of ${data} goes on just now`,
      "Wait for it, or end it: what it leaves is removed by the next one.",
    )
  }
  // A file system without locks.
  return taken ?? { [Symbol.dispose]() {} }
}
