// How the hub's windows introduce a plugin: icon, name, version, author and homepage, which it says of itself, and its id,
// which the browser vouches for.

import { element } from '../popup/dom';
import { iconElement } from './icon';
import { homepageUrl, isOfServer } from './identity';
import type { PluginIdentity } from './identity';
import { label, shortened, visible } from './text';

const MAX_DESCRIPTION = 500;

/** A card with the plugin at its head and `inside` below. */
export function pluginCard(plugin: PluginIdentity, ...inside: (Node | string | null)[]): HTMLElement {
  const { extensionId: id, name, version, author, homepage, icon } = plugin;
  const from = isOfServer(id) ? `A plugin of the server that is connected, ${visible(id)}` : `Extension ${visible(id)}`;
  const home = homepageUrl(homepage);
  return element(
    'li',
    { className: 'panel plugin' },
    element(
      'div',
      { className: 'identity' },
      iconElement(icon, name),
      element(
        'div',
        {},
        element('h3', {}, element('bdi', {}, label(name)), ' ', element('small', {}, label(version, 40))),
        element(
          'p',
          { className: 'remark' },
          ...(author?.trim() ? ['by ', element('bdi', {}, label(author)), home ? ' · ' : null] : []),
          home && homepageLink(home),
        ),
        element('p', { className: 'remark' }, from),
      ),
    ),
    ...inside,
  );
}

/** The host is shown as the browser's address bar would: a foreign alphabet as `xn--`. */
const homepageLink = ({ href, host }: URL) =>
  element('a', { href, target: '_blank', rel: 'noopener noreferrer' }, shortened(host, 60));

/** A tool below its plugin: what it is called, and what it says that it does. */
export function toolRow(
  { name, title, description }: { name: string; title: string; description?: string | null },
  isDangerous: boolean,
): HTMLElement {
  const mark = isDangerous ? element('span', { className: 'badge' }, 'asked at each call') : null;
  const text = description ? shortened(visible(description, true), MAX_DESCRIPTION) : null;
  return element(
    'li',
    { className: 'tool' },
    element('p', { className: 'title' }, element('bdi', {}, label(title)), mark),
    text === null ? null : element('p', { className: 'description', dir: 'auto' }, text),
    element('code', { className: 'remark' }, visible(name)),
  );
}
