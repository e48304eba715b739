import { TextLink } from "../../ui/link-button.tsx"

interface SessionLinkProperties {
  readonly session: string
  readonly account: string
}

/** Leads to the story of a session. */
export function SessionLink({ session, account }: SessionLinkProperties) {
  return (
    <TextLink to="/session" search={{ session, account }} className="anywhere">
      {session}
    </TextLink>
  )
}
