import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { oneQuery } from "../api/queries.ts"
import { useSession } from "../session.tsx"
import type { PaletteEntry } from "./entries.ts"
import { t } from "../languages/text.ts"

const MAX_USERS = 8
/** Shorter texts match most users. */
const MIN_LENGTH = 2

/** Returns the users and the changeable settings, which only operators can open. */
export function useOperatorEntries(typed: string): PaletteEntry[] {
  const navigate = useNavigate()
  const { is_operator: isOperator } = useSession()
  const search = typed.trim()
  const { data: users } = useQuery({
    ...oneQuery("GET /users", { query: { search, limit: MAX_USERS } }),
    enabled: isOperator && search.length >= MIN_LENGTH,
    placeholderData: keepPreviousData,
  })
  const { data: settings } = useQuery({ ...oneQuery("GET /settings", {}), enabled: isOperator })
  return [
    ...(users?.data ?? []).map(({ id, name, email }) => ({
      id: `user:${id}`,
      group: t("Users"),
      label: name,
      detail: email,
      choose: () => void navigate({ to: "/users", search: { search: email } }),
    })),
    ...(settings?.changeable ?? []).map(({ name, label }) => ({
      id: `setting:${name}`,
      group: t("Settings"),
      label,
      detail: name,
      choose: () => void navigate({ to: "/settings", hash: name }),
    })),
  ]
}
