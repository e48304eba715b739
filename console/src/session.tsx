import { useSuspenseQuery } from "@tanstack/react-query"
import type { Session } from "tollgate-contract/session.ts"
import { queryClient, sessionQuery } from "./api/queries.ts"

/** Who is signed in. Only below the layout's route, which has loaded it. */
export function useSession(): Session {
  return useSuspenseQuery(sessionQuery).data
}

/** Takes the answer of a sign-in as the session, and forgets what someone else has seen. */
export function beginSession(session: Session): void {
  queryClient.clear()
  queryClient.setQueryData(sessionQuery.queryKey, session)
}

/** Resets all queries. Those on the page are fetched again, without a user. */
export async function endSession(): Promise<void> {
  await queryClient.resetQueries()
}
