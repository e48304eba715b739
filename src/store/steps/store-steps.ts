import type { Store } from "../store.ts"
import { auditSteps } from "./audit.ts"
import { backupSteps } from "./backups.ts"
import type { StepGroups } from "./step.ts"

/** The methods of the store that are written once for all engines. */
export type SharedStore = Pick<Store, "audit" | "backups">

export const STORE_STEPS: StepGroups<SharedStore> = {
  audit: auditSteps,
  backups: backupSteps,
}
