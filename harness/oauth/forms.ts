/** The forms of an HTML page, limited to those that can be completed without a browser window. */

import { type DefaultTreeAdapterMap, parse } from 'parse5';

import { webAddress } from './discovery.js';

type Node = DefaultTreeAdapterMap['node'];
type Element = DefaultTreeAdapterMap['element'];

export interface Field {
  readonly name: string;
  /** `text`, `password`, `hidden`, `checkbox`, …; `submit` for a button. */
  readonly type: string;
  readonly value: string;
  readonly checked: boolean;
}

export interface Button {
  /** Undefined when pressing the button adds no parameter. */
  readonly name: string | undefined;
  readonly value: string;
  /** The visible text of the button. */
  readonly label: string;
}

export interface Form {
  readonly action: URL;
  readonly method: 'GET' | 'POST';
  readonly fields: readonly Field[];
  readonly buttons: readonly Button[];
}

/** Maximum number of tags of a page; docs/limits.md lists it. Pages for users have far fewer. */
const mostTags = 20_000;

/** The limit that a page exceeds, in words: such a page is not parsed, because its tree needs much memory. */
export function excessOf(html: string): string | undefined {
  let tags = 0;
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', at + 1))
    if (++tags > mostTags) return `more than ${mostTags} tags, the limit of mcp-conform`;
  return undefined;
}

/** The forms of a page; none where it exceeds the limit. @param base the address of the page */
export function formsOf(html: string, base: URL): Form[] {
  if (excessOf(html) !== undefined) return [];
  const document = parse(html);
  return elements(document)
    .filter(e => e.tagName === 'form')
    .flatMap(form => {
      const action = webAddress(attribute(form, 'action') || base.href, base);
      if (!action) return [];
      const inside = elements(form);
      return [
        {
          action,
          method: /^post$/i.test(attribute(form, 'method') ?? '') ? ('POST' as const) : ('GET' as const),
          fields: inside.flatMap(fieldOf),
          buttons: inside.flatMap(buttonOf),
        },
      ];
    });
}

function fieldOf(element: Element): Field[] {
  const name = attribute(element, 'name');
  if (!name || attribute(element, 'disabled') !== undefined) return [];
  const type = (attribute(element, 'type') ?? 'text').toLowerCase();
  const checked = attribute(element, 'checked') !== undefined;
  if (element.tagName === 'input' && !['submit', 'button', 'image', 'reset'].includes(type)) {
    const usual = type === 'checkbox' || type === 'radio' ? 'on' : '';
    return [{ name, type, value: attribute(element, 'value') ?? usual, checked }];
  }
  if (element.tagName === 'textarea') return [{ name, type: 'text', value: textOf(element), checked }];
  if (element.tagName !== 'select') return [];
  const options = elements(element).filter(e => e.tagName === 'option');
  const chosen = options.find(e => attribute(e, 'selected') !== undefined) ?? options[0];
  if (!chosen) return [];
  return [{ name, type: 'select', value: attribute(chosen, 'value') ?? textOf(chosen), checked }];
}

function buttonOf(element: Element): Button[] {
  const type = (attribute(element, 'type') ?? 'submit').toLowerCase();
  const isButton = element.tagName === 'button' && type === 'submit';
  const isInput = element.tagName === 'input' && ['submit', 'image'].includes(type);
  if (!isButton && !isInput) return [];
  const value = attribute(element, 'value') ?? '';
  const label = isButton ? textOf(element) : value || 'submit';
  return [{ name: attribute(element, 'name') || undefined, value, label: label.trim() }];
}

/** The text of the page, without tags; a page that exceeds the limit is returned as it is. */
export const wordsOf = (html: string): string => (excessOf(html) === undefined ? textOf(parse(html)) : html);

/** All nodes inside of a node, in the order of the page; without recursion, because a page may be nested deep. */
function nodesIn(root: Node): Node[] {
  const found: Node[] = [];
  const open = [root];
  for (let node = open.pop(); node; node = open.pop()) {
    if (node !== root) found.push(node);
    if ('childNodes' in node)
      for (let at = node.childNodes.length - 1; at >= 0; at--) open.push(node.childNodes[at]!);
  }
  return found;
}

const elements = (node: Node): Element[] => nodesIn(node).filter(child => 'tagName' in child);

const textOf = (root: Node): string =>
  nodesIn(root)
    .map(node => (node.nodeName === '#text' && 'value' in node ? node.value : ''))
    .join('');

const attribute = (element: Element, name: string): string | undefined =>
  element.attrs.find(a => a.name === name)?.value;
