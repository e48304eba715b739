import { NO_KEY } from "tollgate-contract/tools.ts"
import { useAccount } from "../../account.tsx"
import { LinkButton } from "../../ui/link-button.tsx"
import { Page } from "../../ui/page.tsx"
import { ToolCards } from "../../ui/tool-cards.tsx"

/** The settings with which people's tools call the gateway. */
export function ConnectPage() {
  const { may } = useAccount()
  const newKey = (
    <LinkButton to="/keys" search={{ create: "1" }}>
      Create a key
    </LinkButton>
  )
  return (
    <Page
      title="Connect"
      description={
        <>
          Settings that make your tools call models through this gateway. Put your key where{" "}
          <code>{NO_KEY}</code> stands.
        </>
      }
      actions={may("member") ? newKey : undefined}
    >
      <ToolCards secret={undefined} models={null} columns={2} />
    </Page>
  )
}
