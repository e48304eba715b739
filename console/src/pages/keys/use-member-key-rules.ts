import { useQuery } from "@tanstack/react-query"
import type { MemberKeyRules } from "tollgate-contract/member-keys.ts"
import { oneQuery } from "../../api/queries.ts"
import { isMemberOf, useSession } from "../../session.tsx"

/** Returns the rules for keys that the user creates in an account; undefined if the user is not restricted. */
export function useMemberKeyRules(account: string | undefined): MemberKeyRules | undefined {
  const session = useSession()
  const { data } = useQuery({
    ...oneQuery("GET /accounts/{id}/member-keys", { path: { id: account ?? "" } }),
    enabled: isMemberOf(session, account),
  })
  return data
}
