import { Alert, Group, Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useAccount } from "../account.tsx"
import { oneQuery, untilAnswered } from "../api/queries.ts"
import { type AccountBlock, accountBlock } from "../format/account-block.ts"
import { useSession } from "../session.tsx"
import { IconAlertCircle } from "./icons.tsx"
import { LinkButton } from "./link-button.tsx"
import { t } from "../languages/text.ts"

const POLL_INTERVAL_MS = 5_000

/** Shows why the account's requests are rejected, and the next step. Renders nothing if the requests are served. */
export function AccountBanner({ account }: { readonly account: string }) {
  const { data } = useQuery({
    ...oneQuery("GET /accounts/{id}", { path: { id: account } }),
    refetchInterval: untilAnswered(POLL_INTERVAL_MS),
  })
  const block = data && accountBlock(data)
  if (block === undefined) return null
  return (
    <Alert
      color={block.isComplete ? "red" : "yellow"}
      variant="light"
      icon={<IconAlertCircle />}
      title={block.title}
      role="alert"
      mb="lg"
    >
      <Group justify="space-between" gap="sm">
        <Text size="sm" flex="1 1 20rem">
          {block.text}
        </Text>
        <NextStep account={account} block={block} />
      </Group>
    </Alert>
  )
}

interface NextStepProperties {
  readonly account: string
  readonly block: AccountBlock
}

function NextStep({ account, block: { step } }: NextStepProperties) {
  const session = useSession()
  const { may } = useAccount()
  if (session.is_operator) {
    return step === "account" ? (
      <LinkButton to="/accounts/$account" params={{ account }} size="xs">
        {t("Open the account")}
      </LinkButton>
    ) : (
      <LinkButton to="/credits" search={{ account, add: "entry" }} size="xs">
        {t("Add credits")}
      </LinkButton>
    )
  }
  if (step === "account" || !may("member")) {
    return (
      <Text size="sm">
        {step === "account" ? t("Ask the operator.") : t("Ask an owner of the account.")}
      </Text>
    )
  }
  const add = session.card_payments ? "buy" : "redeem"
  return (
    <LinkButton to="/credits" search={{ account, add }} size="xs">
      {t("Add credits")}
    </LinkButton>
  )
}
