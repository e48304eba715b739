import type { Store } from "../store.ts"
import { auditSteps } from "./audit.ts"
import { backupSteps } from "./backups.ts"
import { invitationSteps } from "./invitations.ts"
import { memberSteps } from "./members.ts"
import { noticeSteps } from "./notices.ts"
import { reconciliationSteps } from "./reconciliations.ts"
import { settingSteps } from "./settings.ts"
import type { StepGroups } from "./step.ts"

/** The methods of the store that are written once for all engines. */
export type SharedStore = Pick<
  Store,
  "audit" | "backups" | "invitations" | "members" | "notices" | "reconciliations" | "settings"
>

export const STORE_STEPS: StepGroups<SharedStore> = {
  audit: auditSteps,
  backups: backupSteps,
  invitations: invitationSteps,
  members: memberSteps,
  notices: noticeSteps,
  reconciliations: reconciliationSteps,
  settings: settingSteps,
}
