import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { ALL_ACCOUNTS, useAccount } from "../account.tsx"
import { modelsQuery } from "../api/models-query.ts"
import { keysQuery } from "../api/queries.ts"
import type { NavEntry } from "../layout/nav.tsx"
import { useSession } from "../session.tsx"
import { useActions } from "./use-actions.ts"
import { useOperatorEntries } from "./use-operator-entries.ts"
import { findEntries, type PaletteEntry, type PaletteGroup, requestIdIn } from "./entries.ts"
import { t } from "../languages/text.ts"
import { word } from "../languages/words.ts"

/** Returns the results for the typed text. If the text contains the id of a request, only that request is found. */
export function useFound(
  typed: string,
  pages: readonly NavEntry[],
  onHelp: () => void,
): readonly PaletteGroup[] {
  const navigate = useNavigate()
  const entries = [...useEntries(pages), ...useActions(onHelp), ...useOperatorEntries(typed)]
  const request = requestIdIn(typed)
  if (request === undefined) return findEntries(typed, entries)
  const choose = () => void navigate({ to: "/requests/$request", params: { request } })
  const name = t("Requests")
  return [{ name, entries: [{ id: request, group: name, label: request, choose }] }]
}

/** Returns all entries that can be found. Entries whose query failed are missing. */
function useEntries(pages: readonly NavEntry[]): PaletteEntry[] {
  const navigate = useNavigate()
  const { is_operator: isOperator } = useSession()
  const { accountId, accounts, choose } = useAccount()
  const { data: models = [] } = useQuery(modelsQuery)
  const { data: keys } = useQuery(keysQuery(accountId))
  const choices = isOperator
    ? [{ id: ALL_ACCOUNTS, name: t("All accounts") }, ...accounts]
    : accounts
  return [
    ...pages.map(({ to, label }) => ({
      id: `page:${to}`,
      group: t("Pages"),
      label,
      choose: () => void navigate({ to }),
    })),
    {
      id: "profile",
      group: t("Pages"),
      label: t("Profile and security"),
      choose: () => void navigate({ to: "/profile" }),
    },
    ...(choices.length > 1 ? choices : []).map(({ id, name }) => ({
      id: `account:${id}`,
      group: t("Switch to an account"),
      label: name,
      choose: () => choose(id),
    })),
    ...(keys?.data ?? []).map(({ id, name, hint, status }) => ({
      id,
      group: t("Keys"),
      label: name,
      detail: [hint, status === "active" ? undefined : word(status)].filter(Boolean).join(" · "),
      choose: () => void navigate({ to: "/keys", search: { search: id, status: "all" } }),
    })),
    ...models.map(({ id, kind }) => ({
      id: `model:${id}`,
      group: t("Models"),
      label: id,
      detail: word(kind),
      choose: () => void navigate({ to: "/models", search: { model: id } }),
    })),
  ]
}
