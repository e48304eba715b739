import type { AuditRecord } from "tollgate-contract/operations.ts"
import { memberOf } from "../../api/api-error.ts"

/** An action in words: `key.create` is `key: create`. */
export function actionWords(action: string): string {
  const [subject, ...rest] = action.split(".")
  return rest.length === 0
    ? action.replaceAll("_", " ")
    : `${subject?.replaceAll("_", " ") ?? ""}: ${rest.join(" ").replaceAll("_", " ")}`
}

/** What is typed to search actions, in the words that are shown or in the API's, as its pattern; undefined: all. */
export function actionPattern(typed: string | undefined): string | undefined {
  const words = (typed ?? "").toLowerCase().match(/[a-z0-9]+/g)
  return words === null ? undefined : `*${words.join("*")}*`
}

/** The name of what was changed, as it was called after it, or before. */
export function nameOf({
  before,
  after,
}: Pick<AuditRecord, "before" | "after">): string | undefined {
  const names = [after, before].map((body) => memberOf(body, "name"))
  return names.find((name): name is string => typeof name === "string" && name !== "")
}
