"""Learning by trial comes to the policy that planning finds."""

import numpy as np
import pytest

from branchline.decide import evaluate_policy, q_learning, sarsa
from branchline.errors import ParameterError
from unit.decide.test_dynamic_programming import cliff, frozen_lake


def test_q_learning_walks_along_the_cliff_and_sarsa_away_from_it():
    process = cliff()
    learned = q_learning(process, n_episodes=400, discount=1.0, decay=0.2, last_exploration=0.1)
    best = evaluate_policy(process, learned.actions_in_order(), discount=0.999).start_value
    assert best == pytest.approx(-13, abs=0.1)
    careful = sarsa(process, n_episodes=400, discount=1.0, decay=0.2, last_exploration=0.1)
    assert careful.returns[-100:].mean() > learned.returns[-100:].mean()


def test_q_learning_is_within_a_hundredth_of_the_slippery_lake():
    process = frozen_lake()
    learned = q_learning(process, n_episodes=8000, discount=0.99, random_state=1)
    plan = evaluate_policy(process, learned, discount=1.0)
    assert plan.start_value >= 0.99 * 14 / 17
    assert evaluate_policy(process, plan, discount=1.0).start_value == plan.start_value


def test_the_seed_decides():
    one, two = (q_learning(cliff(), n_episodes=20, random_state=3) for _ in range(2))
    assert (one.returns == two.returns).all()
    assert "Q-learning: 20 episodes" in str(one)
    assert one.draw().to_svg().startswith("<svg")
    assert len(one.to_frame()) == len(one.policy)


def test_an_environment_with_other_states_is_refused():
    with pytest.raises(ParameterError) as caught:
        q_learning(np.zeros(3))
    assert caught.value.code == "P801"
