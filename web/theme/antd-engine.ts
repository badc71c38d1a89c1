import { icons, type Rules, shared } from 'virtual:antd-shared-rules';
import { useCSSVarRegister } from '@ant-design/cssinjs';
import getComponentToken from '@ant-design/cssinjs-utils/es/util/getComponentToken.js';
import getDefaultComponentToken from '@ant-design/cssinjs-utils/es/util/getDefaultComponentToken.js';
import { iconStyles } from '@ant-design/icons/es/renderUtils';
import { ConfigContext } from 'antd/es/config-provider/context.js';
import useToken, { unitless } from 'antd/es/theme/useToken.js';
import { useContext } from 'react';

/*
 * Stands for antd's theme/util/genStyleUtils.js and useResetIconStyle.js in the built console. Rules are ready when
 * the console is built (`web/antd-rules.ts`), so that a part only puts them into the page when it is first drawn,
 * and its variables follow from the theme as in antd.
 */

const inPage = new Map<Rules, Set<string>>();
const frames = new Set<string>();
/** Among antd's styles by their order, after those of the same order, and before all others. */
const insert = (css: string, order: number): void => {
  const style = document.createElement('style');
  style.setAttribute('data-rc-order', 'prependQueue');
  style.setAttribute('data-rc-priority', `${order}`);
  style.textContent = css;
  const last = [...document.head.querySelectorAll('style[data-rc-order="prependQueue"]')].findLast(
    (each) => Number(each.getAttribute('data-rc-priority')) <= order,
  );
  if (last) last.after(style);
  else document.head.prepend(style);
};
const putRules = (rules: Rules, prefixCls: string, rootCls: string, hashId: string): void => {
  const done = inPage.get(rules) ?? new Set();
  if (done.has(prefixCls)) return;
  inPage.set(rules, done.add(prefixCls));
  const [css, order, framesOf] = rules;
  const missing = Object.entries(framesOf).filter(([name]) => !frames.has(name));
  for (const [name] of missing) frames.add(name);
  const text = [css, ...missing.map(([, frame]) => frame)].join('');
  insert(text.replaceAll('§', prefixCls).replaceAll('¤', rootCls).replaceAll('¶', hashId), order);
};

interface Options {
  injectStyle?: boolean;
  unitless?: Readonly<Record<string, boolean>>;
  deprecatedTokens?: [string, string][];
  extraCssVarPrefixCls?: string[] | ((names: { prefixCls: string; rootCls: string }) => string[]);
}
type Token = ReturnType<typeof useToken>;
/** Returns the class name of the rules. */
const showRules = (
  rules: Rules,
  prefixCls: string,
  rootCls: string,
  [, , hashId]: Token,
  { injectStyle = true }: Options,
): string => {
  putRules(shared, '', '', hashId);
  if (injectStyle) putRules(rules, prefixCls, rootCls, hashId);
  return hashId;
};

const prefixed = (component: string, key: string): string =>
  `${component}${key.slice(0, 1).toUpperCase()}${key.slice(1)}`;
const unitlessOf = (component: string, more: Options['unitless'] = {}): Record<string, boolean> => ({
  ...unitless,
  [prefixed(component, 'zIndexPopup')]: true,
  ...Object.fromEntries(Object.entries(more).map(([key, is]) => [prefixed(component, key), is])),
});

type Component = string | [string, string];
export const genComponentStyleHook =
  (_component: Component, rules: Rules, _getDefaultToken?: unknown, options: Options = {}) =>
  (prefixCls: string, rootCls = prefixCls): string =>
    showRules(rules, prefixCls, rootCls, useToken(), options);

export const genSubStyleComponent =
  (_component: Component, rules: Rules, _getDefaultToken?: unknown, options: Options = {}) =>
  ({ prefixCls, rootCls = prefixCls }: { prefixCls: string; rootCls?: string }): null => {
    showRules(rules, prefixCls, rootCls, useToken(), options);
    return null;
  };

export const genStyleHooks = (
  component: Component,
  rules: Rules,
  getDefaultToken?: Parameters<typeof getDefaultComponentToken>[2],
  options: Options = {},
) => {
  const name = typeof component === 'string' ? component : component[0];
  const { deprecatedTokens = [], extraCssVarPrefixCls: extra } = options;
  const withoutUnit = unitlessOf(name, options.unitless);
  return (prefixCls: string, rootCls = prefixCls): [hashId: string, cssVarCls: string] => {
    const token = useToken();
    const [, realToken, , , { prefix, key = '' } = {}] = token;
    const { csp } = useContext(ConfigContext);
    const hashId = showRules(rules, prefixCls, rootCls, token, options);
    const more = typeof extra === 'function' ? extra({ prefixCls, rootCls }) : extra;
    useCSSVarRegister(
      {
        path: [name],
        ...(prefix === undefined ? {} : { prefix }),
        key,
        unitless: withoutUnit,
        token: realToken,
        scope: more?.length ? [rootCls, ...more] : rootCls,
        nonce: () => csp?.nonce ?? '',
      },
      () => {
        const defaults = getDefaultComponentToken(name, realToken, getDefaultToken);
        // The library's types know the parts of antd by their names; here any of them may come.
        const tokens: Record<string, string | number> = getComponentToken(
          name,
          realToken as never,
          defaults,
          {
            deprecatedTokens,
          },
        );
        return Object.fromEntries(
          Object.entries(tokens).map(([each, value]) => [
            each in defaults ? prefixed(name, each) : each,
            value,
          ]),
        );
      },
    );
    return [hashId, key];
  };
};

export const genCssVar = (antCls: string, component: string) => {
  const name = (key: string) => `--${antCls.replaceAll('.', '')}-${component}-${key}`;
  return [
    name,
    (key: string, fallback?: string) => `var(${name(key)}${fallback ? `, ${fallback}` : ''})`,
  ] as const;
};

const ownIcons: Rules = [iconStyles, Number.MIN_SAFE_INTEGER, {}];
export const useResetIconStyle = (): void => {
  putRules(ownIcons, '', '', '');
  putRules(icons, '', '', '');
};
