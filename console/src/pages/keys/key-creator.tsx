import { useMemo } from "react"
import type { Key } from "tollgate-contract/keys.ts"
import { usePages } from "../../api/use-pages.ts"
import { useSession } from "../../session.tsx"
import { t } from "../../languages/text.ts"

const PAGE = 200

/** Returns the names of the members of an account, or of all visible accounts, by the ids of their users. */
export function useMemberNames(account: string | undefined): ReadonlyMap<string, string> {
  const { items } = usePages("GET /members", { query: { account, limit: PAGE } })
  return useMemo(() => new Map(items.map(({ user, name }) => [user, name])), [items])
}

interface KeyCreatorProperties {
  readonly of: Key
  /** Names of users by id. */
  readonly names: ReadonlyMap<string, string>
}

/** Shows who created a key. Users who are not members are operators, or have left. */
export function KeyCreator({ of: { created_by: creator }, names }: KeyCreatorProperties) {
  const { user } = useSession()
  if (creator === null) return <span className="dim">{t("operator")}</span>
  if (creator === user?.id) return <span>{t("you")}</span>
  const name = names.get(creator)
  if (name === undefined) return <span className="dim">{t("not a member")}</span>
  return <span className="anywhere">{name}</span>
}
