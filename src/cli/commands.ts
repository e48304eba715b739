import { registerAccountCreate } from "./account-create.ts"
import { registerCodeCreate } from "./code-create.ts"
import { registerCodeList } from "./code-list.ts"
import { registerCodeRevoke } from "./code-revoke.ts"
import type { RegisterCommand } from "./command.ts"
import { registerCreditsAdjust } from "./credits-adjust.ts"
import { registerCreditsGrant } from "./credits-grant.ts"
import { registerCreditsRefund } from "./credits-refund.ts"
import { registerDemo } from "./demo.ts"
import { registerDoctor } from "./doctor.ts"
import { registerKeyCreate } from "./key-create.ts"
import { registerKeyList } from "./key-list.ts"
import { registerKeyRevoke } from "./key-revoke.ts"
import { registerKeyRotate } from "./key-rotate.ts"
import { registerLedgerVerify } from "./ledger-verify.ts"
import { registerModels } from "./models.ts"
import { registerReceipt } from "./receipt.ts"
import { registerServe } from "./serve.ts"
import { registerStatement } from "./statement.ts"
import { registerUserList } from "./user-list.ts"
import { registerUserReset } from "./user-reset.ts"

/** Every command, in the order in which the help lists them. */
export const COMMANDS: readonly RegisterCommand[] = [
  registerServe,
  registerDemo,
  registerAccountCreate,
  registerCreditsGrant,
  registerCreditsAdjust,
  registerCreditsRefund,
  registerCodeCreate,
  registerCodeList,
  registerCodeRevoke,
  registerKeyCreate,
  registerKeyList,
  registerKeyRotate,
  registerKeyRevoke,
  registerUserList,
  registerUserReset,
  registerModels,
  registerReceipt,
  registerStatement,
  registerLedgerVerify,
  registerDoctor,
]
