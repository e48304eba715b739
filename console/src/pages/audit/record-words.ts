import type { AuditRecord } from "tollgate-contract/operations.ts"
import { memberOf } from "../../api/api-error.ts"

/** Formats an action for display: `key.create` becomes `key: create`. */
export function actionWords(action: string): string {
  const [subject, ...rest] = action.split(".")
  return rest.length === 0
    ? action.replaceAll("_", " ")
    : `${subject?.replaceAll("_", " ") ?? ""}: ${rest.join(" ").replaceAll("_", " ")}`
}

/** Returns the name of the changed object. A deleted object has only its name before the change. */
export function nameOf({
  before,
  after,
}: Pick<AuditRecord, "before" | "after">): string | undefined {
  const names = [after, before].map((body) => memberOf(body, "name"))
  return names.find((name): name is string => typeof name === "string" && name !== "")
}
