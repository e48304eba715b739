import { useNavigate } from "@tanstack/react-router"
import { api } from "../api/client.ts"
import { endSession } from "../session.tsx"
import { notifyError } from "../ui/notify.tsx"

/** Returns a function that ends the session and opens the sign-in page. */
export function useSignOut(): () => Promise<void> {
  const navigate = useNavigate()
  return async () => {
    try {
      await api("DELETE /session", {})
    } catch (thrown) {
      return notifyError(thrown)
    }
    await navigate({ to: "/sign-in" })
    await endSession()
  }
}
