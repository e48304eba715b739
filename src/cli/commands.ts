import { registerAccountCreate } from "./account-create.ts"
import type { RegisterCommand } from "./command.ts"
import { registerCreditsGrant } from "./credits-grant.ts"
import { registerDemo } from "./demo.ts"
import { registerDoctor } from "./doctor.ts"
import { registerKeyCreate } from "./key-create.ts"
import { registerKeyList } from "./key-list.ts"
import { registerKeyRevoke } from "./key-revoke.ts"
import { registerKeyRotate } from "./key-rotate.ts"
import { registerModels } from "./models.ts"
import { registerReceipt } from "./receipt.ts"
import { registerServe } from "./serve.ts"

/** Every command, in the order in which the help lists them. */
export const COMMANDS: readonly RegisterCommand[] = [
  registerServe,
  registerDemo,
  registerAccountCreate,
  registerCreditsGrant,
  registerKeyCreate,
  registerKeyList,
  registerKeyRotate,
  registerKeyRevoke,
  registerModels,
  registerReceipt,
  registerDoctor,
]
