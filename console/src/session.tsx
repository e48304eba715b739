import { useSuspenseQuery } from "@tanstack/react-query"
import type { Session } from "tollgate-contract/session.ts"
import { queryClient, sessionQuery } from "./api/queries.ts"

/** Returns the session. It is available only below the layout route, which loads the session. */
export function useSession(): Session {
  return useSuspenseQuery(sessionQuery).data
}

/** Stores the response of a sign-in as the session, and clears the data of the previous user. */
export function beginSession(session: Session): void {
  queryClient.clear()
  queryClient.setQueryData(sessionQuery.queryKey, session)
}

/** Resets all queries. Queries of the current page are sent again, without a user. */
export async function endSession(): Promise<void> {
  await queryClient.resetQueries()
}

/** Whether the user has the role member in an account. The rules for keys restrict only this role. */
export function isMemberOf(session: Session | undefined, account: string | undefined): boolean {
  if (session === undefined || session.is_operator) return false
  return session.accounts.some(({ id, role }) => id === account && role === "member")
}
