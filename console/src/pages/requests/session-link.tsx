import { TextLink } from "../../ui/link-button.tsx"

interface SessionLinkProperties {
  readonly session: string
  readonly account: string
}

export function SessionLink({ session, account }: SessionLinkProperties) {
  return (
    <TextLink to="/session" search={{ session, account }} className="anywhere">
      {session}
    </TextLink>
  )
}
