"""Gothello as an environment for PettingZoo (AEC).

    from gothello.env import GothelloEnv

    env = GothelloEnv()
    env.reset(seed=1)

The agents are `black` and `white`. An action is the number of a move: the points from a5 to e1, then the pass. An
observation contains `observation`, three planes of 5x5 points with the agent's own stones, those of the other side, and
the empty points, and `action_mask`, whose ones are the legal moves. The rewards at the end of the game are 1, 0 and -1,
or with `margins=True` the margin from -25 to 25. An illegal action loses the game.
"""

import gymnasium
import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from .arena import ArenaBot
from .rules import BLACK, MOVES, WHITE, Position

_SIDES = {"black": BLACK, "white": WHITE}


class GothelloEnv(AECEnv):
    """A game of Gothello for two agents."""

    metadata = {"name": "gothello_v0", "render_modes": ["ansi"], "is_parallelizable": False}

    def __init__(self, margins=False, render_mode=None):
        super().__init__()
        self.possible_agents = ["black", "white"]
        self.render_mode, self.margins = render_mode, margins
        board = spaces.Box(low=0, high=1, shape=(3, 5, 5), dtype=np.int8)
        mask = spaces.Box(low=0, high=1, shape=(len(MOVES),), dtype=np.int8)
        self._observation = spaces.Dict({"observation": board, "action_mask": mask})
        self.observation_spaces = {agent: self._observation for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(len(MOVES)) for agent in self.possible_agents}
        self.position = Position()

    def observation_space(self, agent):
        return self.observation_spaces[agent]

    def action_space(self, agent):
        return self.action_spaces[agent]

    def observe(self, agent):
        side = _SIDES[agent]
        board = np.array(self.position.board, dtype=np.int8).reshape(5, 5) * side
        planes = np.stack([board == 1, board == -1, board == 0]).astype(np.int8)
        mask = np.zeros(len(MOVES), dtype=np.int8)
        if self.position.to_move == side:
            mask[self.position.legal()] = 1
        return {"observation": planes, "action_mask": mask}

    def reset(self, seed=None, options=None):
        self.agents = list(self.possible_agents)
        self.position = Position()
        self.rewards = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self.agent_selection = "black"

    def step(self, action):
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0
        self.rewards = dict.fromkeys(self.agents, 0)
        if not self.position.is_legal(int(action)):
            self._end(-25 * _SIDES[agent])
        else:
            self.position = self.position.play(int(action))
            if self.position.is_over:
                self._end(self.position.lead)
        self.agent_selection = "white" if agent == "black" else "black"
        self._accumulate_rewards()

    def _end(self, margin):
        """Ends the game with black's margin."""
        for agent in self.agents:
            own = margin * _SIDES[agent]
            self.rewards[agent] = own if self.margins else (own > 0) - (own < 0)
            self.terminations[agent] = True

    def render(self):
        if self.render_mode is None:
            gymnasium.logger.warn("render() needs render_mode='ansi'")
            return None
        return str(self.position)

    def close(self):
        pass


class AgainstBot(GothelloEnv):
    """A game in which one of the arena's built-in bots, such as `greedy`, plays one side: it moves whenever it is its turn.

    The other agent is the only one that acts. `options` are those of `gothello-arena bot`, such as ["--depth", "2"].
    Each game gives the bot a new seed. `reset(seed=...)` makes the seeds of this game and of those after it repeatable.
    """

    def __init__(self, bot="greedy", agent="black", options=(), program="gothello-arena", **settings):
        super().__init__(**settings)
        self.agent, self._bot_name, self._options, self._program = agent, bot, options, program
        self._bot = None
        self._seeds = np.random.default_rng()

    def reset(self, seed=None, options=None):
        super().reset(seed, options)
        self.close()
        if seed is not None:
            self._seeds = np.random.default_rng(seed)
        bot_seed = int(self._seeds.integers(2**32))
        self._bot = ArenaBot(self._bot_name, -_SIDES[self.agent], self._options, bot_seed, self._program)
        if self.agent == "white":
            self._answer(self._bot.first())

    def step(self, action):
        agent = self.agent_selection
        was_over = self.terminations[agent]
        super().step(action)
        if not was_over and not any(self.terminations.values()):
            self._answer(self._bot.reply(int(action)))

    def _answer(self, move):
        super().step(MOVES.index(move))

    def close(self):
        if self._bot is not None:
            self._bot.close()
            self._bot = None
