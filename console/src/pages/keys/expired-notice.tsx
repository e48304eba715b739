import { Alert, Group, Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { oneQuery } from "../../api/queries.ts"
import { IconAlertCircle } from "../../ui/icons.tsx"
import { TextLink } from "../../ui/link-button.tsx"
import { t } from "../../languages/text.ts"
import { someOf } from "../../format/lists.ts"

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
      title={t("{count, plural, one {# key} other {# keys}} expired in the last 7 days", {
        count: keys.length,
      })}
    >
      <Group justify="space-between" gap="sm">
        <Text size="sm" className="anywhere">
          {t(
            "{names}. Their requests are rejected. Set a later expiry date, or create a new key.",
            {
              names: someOf(names, more),
            },
          )}
        </Text>
        <TextLink to="/keys" search={(before) => ({ ...before, status: "expired" })} size="sm">
          {t("Show expired keys")}
        </TextLink>
      </Group>
    </Alert>
  )
}
