import { ActionIcon, Badge, Group, Menu, Text } from "@mantine/core"
import { IconDotsVertical } from "../../ui/icons.tsx"
import type { User } from "tollgate-contract/members.ts"
import type { Column } from "../../ui/data-table.tsx"
import { TextLink } from "../../ui/link-button.tsx"
import { Status } from "../../ui/status.tsx"
import { When } from "../../ui/when.tsx"
import type { UserTask } from "./user-task.ts"

type Begin = (task: UserTask) => void

/**
 * Returns the columns of the list of users.
 * @param self the id of the current user.
 */
export function userColumns(
  self: string | undefined,
  begin: Begin,
  rename: (user: User) => void,
): readonly Column<User>[] {
  return [
    {
      id: "name",
      header: "User",
      cell: (user) => (
        <div className="anywhere">
          <Group gap={6}>
            <Text size="sm" fw={600}>
              {user.name}
              {user.id === self && <span className="dim"> (you)</span>}
            </Text>
            {user.is_operator && (
              <Badge variant="light" radius="sm" tt="none" fw={500}>
                operator
              </Badge>
            )}
          </Group>
          <Text size="xs" c="dimmed">
            {user.email}
          </Text>
        </div>
      ),
    },
    {
      id: "accounts",
      header: "Accounts",
      cell: ({ accounts }) =>
        accounts.length === 0 ? (
          <span className="dim">none</span>
        ) : (
          <Group gap={6}>
            {accounts.map(({ id, name, role }) => (
              <TextLink key={id} to="/accounts/$account" params={{ account: id }} size="sm">
                {name} <span className="dim">({role})</span>
              </TextLink>
            ))}
          </Group>
        ),
    },
    {
      id: "status",
      header: "Status",
      cell: ({ is_disabled: isDisabled }) => <Status value={isDisabled ? "disabled" : "active"} />,
    },
    {
      id: "two-factor",
      header: "Second factor",
      isSecondary: true,
      cell: ({ two_factor: isOn }) => (isOn ? "on" : <span className="dim">off</span>),
    },
    {
      id: "seen",
      header: "Last seen",
      isSecondary: true,
      cell: ({ last_seen_at: seenAt }) => <When at={seenAt} none="never" />,
    },
    {
      id: "actions",
      header: "Actions",
      isAction: true,
      cell: (user) => <UserMenu user={user} begin={begin} rename={rename} />,
    },
  ]
}

interface UserMenuProperties {
  readonly user: User
  readonly begin: Begin
  readonly rename: (user: User) => void
}

function UserMenu({ user, begin, rename }: UserMenuProperties) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${user.name}`}>
          <IconDotsVertical size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => rename(user)}>Change name or email</Menu.Item>
        <Menu.Item onClick={() => begin({ name: user.is_operator ? "demote" : "promote", user })}>
          {user.is_operator ? "Remove operator rights" : "Make an operator"}
        </Menu.Item>
        <Menu.Item
          {...(!user.is_disabled && { color: "red" })}
          onClick={() => begin({ name: user.is_disabled ? "enable" : "disable", user })}
        >
          {user.is_disabled ? "Enable" : "Disable"}
        </Menu.Item>
        <Menu.Item color="red" onClick={() => begin({ name: "erase", user })}>
          Erase
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
