import { Alert, Group, Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { oneQuery } from "../../api/queries.ts"
import { counted } from "../../format/numbers.ts"
import { IconAlertCircle } from "../../ui/icons.tsx"
import { TextLink } from "../../ui/link-button.tsx"

const RECENT_MS = 7 * 24 * 60 * 60 * 1_000
const MAX_NAMES = 3

/** Names keys that have expired in the last days, because the list of active keys does not contain them. */
export function ExpiredNotice({ account }: { readonly account: string | undefined }) {
  const { data } = useQuery(
    oneQuery("GET /keys", { query: { account, status: "expired", limit: 100 } }),
  )
  const since = Date.now() - RECENT_MS
  const keys = (data?.data ?? []).filter(({ expires_at: at }) => Date.parse(at ?? "") >= since)
  if (keys.length === 0) return null
  const names = keys.slice(0, MAX_NAMES).map(({ name }) => name)
  const more = keys.length - names.length
  return (
    <Alert
      color="yellow"
      variant="light"
      icon={<IconAlertCircle />}
      title={`${counted(keys.length, "key")} expired in the last 7 days`}
    >
      <Group justify="space-between" gap="sm">
        <Text size="sm" className="anywhere">
          {names.join(", ")}
          {more > 0 && ` and ${more} more`}. Their requests are rejected. Set a later expiry date,
          or create a new key.
        </Text>
        <TextLink to="/keys" search={(before) => ({ ...before, status: "expired" })} size="sm">
          Show expired keys
        </TextLink>
      </Group>
    </Alert>
  )
}
